"""What the process says about itself: bounded, redacted, and never in the way of who says it."""
