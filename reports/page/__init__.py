"""The report's page: its template, its equations, and the figures drawn into it."""
