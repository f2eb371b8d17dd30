#![no_main]
causeway_fuzz::target!(causeway_client::fuzzing::PARSERS);
