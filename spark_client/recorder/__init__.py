"""OperationRecorder: operations on fields that a job records itself."""
