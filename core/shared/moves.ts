/**
 * A lifecycle as a table: for each state, the states it may move to and what moves it there. A move that is not in the
 * table does not exist. `core/README.md` prints its diagrams from these tables, tests enumerate them.
 */
export type Moves<State extends string> = Readonly<Record<State, Readonly<Partial<Record<State, string>>>>>;

export const mayMove = <S extends string>(moves: Moves<S>, from: S, to: S): boolean =>
  moves[from][to] !== undefined;

/** States reachable in one move, for error messages. */
export const movesFrom = <S extends string>(moves: Moves<S>, from: S): readonly S[] =>
  Object.keys(moves[from]) as S[];
