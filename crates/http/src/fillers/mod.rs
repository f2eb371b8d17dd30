mod collector;
pub(crate) mod get_fillers;

pub(crate) use collector::FillerCollector;
