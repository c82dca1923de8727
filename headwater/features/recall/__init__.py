"""`headwater recall`: the dataset versions made of a load."""
