/**
 * Where the cases of a node's outputs come from, as data: every definition declares it, and the checks for leaks read it. An output that
 * no relation names carries no cases (settings, metrics, files).
 */
export type LineageRelation<
  Input extends string = string,
  Output extends string = string,
  Field extends string = string,
> =
  /** The cases come from outside. The field `named_by` identifies them; `part`, unless it holds `whole`, names one of several disjoint parts. */
  | {
      readonly relation: 'source'
      readonly output: Output
      readonly named_by: Field
      readonly part?: { readonly field: Field; readonly whole: string }
    }
  /** The cases come from outside, and nothing in the config identifies them: what they are joined with does. */
  | { readonly relation: 'unidentified'; readonly output: Output }
  /** The same cases, whatever was done to them. */
  | { readonly relation: 'same_as'; readonly output: Output; readonly of: Input }
  /** One of the parts that a node makes; no case is in two of them. */
  | { readonly relation: 'part_of'; readonly output: Output; readonly of: Input }
  /** Some of the cases; which ones is known only when the node runs. */
  | { readonly relation: 'subset_of'; readonly output: Output; readonly of: Input }
  /** All the cases of these inputs. */
  | { readonly relation: 'union_of'; readonly output: Output; readonly of: readonly Input[] }
  /**
   * The output (a model, statistics) is learned from all the cases of these inputs. Where the field `leak_allowed_by` is true, it may be
   * evaluated on cases that it was fitted on, which is then a warning.
   */
  | {
      readonly relation: 'fits'
      readonly output: Output
      readonly on: readonly Input[]
      readonly leak_allowed_by?: Field
    }
  /** How the data at `fitted` are prepared (sizes, statistics) is applied as it is to the cases of `to`: they are not prepared otherwise. */
  | { readonly relation: 'applied_to'; readonly fitted: Input; readonly to: readonly Input[] }
  /**
   * Where the field of `when` has that value: what was fitted is fitted further, on the cases that it was fitted on and no others.
   * `otherwise`: the value of the field that allows others.
   */
  | {
      readonly relation: 'continues'
      readonly fitted: Input
      readonly on: readonly Input[]
      readonly when: { readonly field: Field; readonly is: string; readonly otherwise: string }
    }
  /** The model is evaluated on the cases of `on`, which it must not have been fitted on. */
  | { readonly relation: 'evaluates'; readonly model: Input; readonly on: Input }

export type Lineage = readonly LineageRelation[]

/** The lineage of a node that no cases pass through. */
export const NO_CASES = [] as const satisfies Lineage
