import { z } from 'zod'
import { Recipe } from './recipe.js'

/** Title of a key of the recipe, such as ['images', 0, 'search']; undefined for keys that users name, and for items of a list. */
export function titleInRecipe(path: readonly (string | number)[]): string | undefined {
  let schema: z.ZodType | undefined = Recipe
  for (const step of path) {
    const within = unwrapped(schema)
    if (typeof step === 'number')
      schema = within instanceof z.ZodArray ? (within.element as z.ZodType) : undefined
    else schema = within instanceof z.ZodObject ? (within.shape[step] as z.ZodType | undefined) : undefined
    if (schema === undefined) return undefined
  }
  return typeof path.at(-1) === 'number' ? undefined : schema.meta()?.title
}

function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema
}
