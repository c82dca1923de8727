"""AWS services, as the domain uses them: the failures in a batch's response are read and tried again."""
