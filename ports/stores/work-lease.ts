/**
 * The leases of merges and of gates' commands, in seconds. While the database answers nobody all leases end, at different
 * moments: another service takes over only what it has seen to have lapsed, and what was not renewed for that time after.
 */
export const workLease = { leaseSec: 30, renewSec: 10, lapseSec: 15 };
