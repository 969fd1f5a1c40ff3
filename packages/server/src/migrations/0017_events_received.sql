-- The balance sheet counts events by the day of their arrival, and a number of it opens them. Rows are appended as they arrive, so that each
-- piece of the table holds a few minutes of arrivals: a summary of the pieces finds a day's, also those of events that had happened weeks
-- before, at a thousandth of the size of a tree, and costs the intake nothing a row. `autosummarize`: the newest pieces too, not only after
-- the next vacuum.
create index events_received on events using brin (received_at) with (autosummarize = on);
