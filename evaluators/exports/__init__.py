"""What evaluators of the services' exports have in common."""
