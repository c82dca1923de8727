"""LineageRecorder: the operations on fields that a job records by itself."""
