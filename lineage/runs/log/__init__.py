"""Every event as it was sent: kept, listed by time, and replayed."""
