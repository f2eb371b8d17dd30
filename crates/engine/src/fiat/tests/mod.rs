mod ordering;
mod quoting;
mod screening;
mod webhooks;
mod working;
