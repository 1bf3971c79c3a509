import type { RefusalType } from "../../../core/shared/failure.ts";

/** How deep answers are looked into: an organisation's tree has no end. */
type Depth = readonly [never, 0, 1, 2, 3, 4, 5];

type KeyOf<Shape> = Shape extends unknown ? keyof Shape : never;
type FieldOf<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? Shape[Key] : never) : never;
type RowOf<Shape> = Shape extends readonly (infer Row)[] ? Row : never;
type Scalar = string | number | boolean | bigint | symbol | null | undefined;

/** Names of fields that an answer has and its shape has not, at any depth. A free-form object has them all. */
type Undeclared<Made, Shape, Left extends number = 6> = [Left] extends [never]
  ? never
  : Made extends Scalar
    ? never
    : Made extends readonly (infer Row)[]
      ? Undeclared<Row, RowOf<Shape>, Depth[Left]>
      : string extends KeyOf<Shape>
        ? never
        : {
            [Key in keyof Made & string]-?: Key extends KeyOf<Shape>
              ? Undeclared<Made[Key], FieldOf<Shape, Key>, Depth[Left]>
              : Key;
          }[keyof Made & string];

type CodeOf<R> = R extends { readonly code: infer Code extends string } ? Code : never;

/**
 * Holds a use case to its declaration in the directions that assignment leaves open: it answers with no field that
 * `returns` does not declare, and can fail with every refusal that `failures` announces.
 */
export type Exact<Made, Shape, Failed, F extends RefusalType> = ([Undeclared<Made, Shape>] extends [never]
  ? unknown
  : { readonly "answers with what returns does not declare": Undeclared<Made, Shape> }) &
  ([Exclude<CodeOf<InstanceType<F>>, CodeOf<Failed>>] extends [never]
    ? unknown
    : { readonly "announces what run never ends in": Exclude<CodeOf<InstanceType<F>>, CodeOf<Failed>> });
