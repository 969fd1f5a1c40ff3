-- End of the time that a vendor asked to be left alone, which a reading by hand does not shorten.
alter table connections add column limited_until timestamptz;
