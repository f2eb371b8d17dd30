#![no_main]
causeway_fuzz::target!(causeway_domain::fuzzing::PARSERS);
