"""Jobs that do as their arguments say, in the place of the deployed ones."""
