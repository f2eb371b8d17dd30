#![no_main]
causeway_fuzz::target!(causeway_catalog::fuzzing::PARSERS);
