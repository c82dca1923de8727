"""The functions, a module each: event in, one call, response out."""
