/** How far back the pulse shows the runs of each agent. */
export const recentHours = 6;
