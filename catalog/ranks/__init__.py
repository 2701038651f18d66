"""How ranks are made and kept: scale, evidence gates, curve, placement, rebase, audit."""
