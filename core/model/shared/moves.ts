/**
 * A lifecycle as a table: for each state, the next states and the action that leads to each. No other moves exist. The
 * diagrams in `core/README.md` are printed from these tables, and tests enumerate them.
 */
export type Moves<State extends string> = Readonly<Record<State, Readonly<Partial<Record<State, string>>>>>;

export const mayMove = <S extends string>(moves: Moves<S>, from: S, to: S): boolean =>
  moves[from][to] !== undefined;

/** The states reachable in one move, for error messages. */
export const movesFrom = <S extends string>(moves: Moves<S>, from: S): readonly S[] =>
  Object.keys(moves[from]) as S[];
