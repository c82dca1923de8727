"""Jobs that do as they are told, in the place of the deployed ones."""
