mod ordering;
mod pausing;
mod quoting;
mod screening;
mod webhooks;
mod working;
