//! Drills: what an adversary does, against the real binary.

mod idle_connections;
mod other_keys;
mod purchases;
mod records;
