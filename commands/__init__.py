"""One file per `catalog` verb: parse, call the library, print."""
