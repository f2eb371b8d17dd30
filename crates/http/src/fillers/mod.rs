mod collector;
pub(crate) mod get_fillers;
pub(crate) mod get_icon;

pub(crate) use collector::FillerCollector;
