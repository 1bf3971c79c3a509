-- Which company of the instance it is. No other is ever given the number, so that a user of the system can be its own.
alter table companies add column number integer not null generated always as identity unique;
