mod ordering;
mod quoting;
mod webhooks;
mod working;
