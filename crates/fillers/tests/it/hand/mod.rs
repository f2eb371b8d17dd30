mod claiming;
mod deciding;
mod delivering;
mod fakes;
mod owed;
mod reserving;
mod scene;
