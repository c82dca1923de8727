"""Names shared by the stack, the command and the functions of erasures."""

# The partition of the graph table with the tombstones, and the output that names it.
PARTITION, OUTPUT = "ERASED", "ErasePartition"
# Switches the screen of a function on.
VARIABLE = "ERASE"
