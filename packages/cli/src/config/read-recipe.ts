import type { RecipeInput } from '@medloom/contracts'
import { UsageError } from '../exit-codes.js'
import { isObject, readDocument } from './config-file.js'

/** The recipe of a file: in `data.recipe` of a configuration, or at the top level. The service checks it. @throws UsageError */
export function readRecipe(file: string): RecipeInput {
  const { content } = readDocument(file)
  const data = isObject(content) && isObject(content.data) ? content.data : {}
  const recipe = data.recipe ?? content
  if (isObject(recipe) && 'version' in recipe) return recipe as unknown as RecipeInput
  throw new UsageError(
    `${file} does not contain a recipe.`,
    'A recipe begins with "version: 1", in data.recipe or at the top level.',
  )
}
