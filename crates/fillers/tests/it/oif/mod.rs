//! Solvers of the Open Intents Framework, against a server with valid and invalid responses.

mod conforms;
mod quoting;
mod solver;
mod submitting;
