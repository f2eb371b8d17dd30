mod claiming;
mod claiming_batches;
mod deciding;
mod fakes;
mod filling;
mod fixture;
mod owed;
mod reserving;
