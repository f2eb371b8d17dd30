//! Solvers of the Open Intents Framework, against a server that answers as its document says, and as it should not.

mod conforms;
mod quoting;
mod solver;
mod submitting;
