mod claiming;
mod deciding;
mod fakes;
mod filling;
mod fixture;
mod owed;
mod reserving;
