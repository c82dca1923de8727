"""The way in: an event as it is sent, read into the domain's words and put onto the queue."""
