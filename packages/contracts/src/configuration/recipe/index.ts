export {
  RecipeColumns,
  RecipeMissing,
  RecipePatient,
  RecipeRows,
  RecipeSplit,
  RecipeViews,
  ROW_ANSWERS,
  ROW_RULES,
} from './cases.js'
export { RecipeFile, RecipeImages, RecipeJoin, TABLE_FORMATS } from './files.js'
export { RecipeLabel } from './label.js'
export { patternProblem, placeholdersOf } from './pattern.js'
export {
  openQuestions,
  RECIPE_VERSION,
  Recipe,
  type RecipeInput,
  type RecipeQuestion,
  taskOfRecipe,
} from './recipe.js'
export { titleInRecipe } from './titles.js'
