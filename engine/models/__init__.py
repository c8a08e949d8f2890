"""Language models behind endpoints that speak the OpenAI protocol."""
