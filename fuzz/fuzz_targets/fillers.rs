#![no_main]
causeway_fuzz::target!(causeway_fillers::fuzzing::PARSERS);
