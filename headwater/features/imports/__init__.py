"""`headwater import`: events of files, S3, Marquez and other catalogs."""
