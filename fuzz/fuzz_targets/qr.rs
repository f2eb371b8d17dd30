#![no_main]
causeway_fuzz::target!(causeway_qr::fuzzing::PARSERS);
