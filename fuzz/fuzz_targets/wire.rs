#![no_main]
causeway_fuzz::target!(causeway_wire::fuzzing::PARSERS);
