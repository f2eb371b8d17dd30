#![no_main]
causeway_fuzz::target!(causeway_onramps::fuzzing::PARSERS);
