"""Built-in device functions of each dialect."""
