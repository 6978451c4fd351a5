/** Names of dataset checks; the other checks use the code of a warning. */
export const CHECKS = [
  'cases',
  'cases_without_image',
  'class_folders',
  'classes',
  'events',
  'events_per_column',
  'files_changed',
  'files_missing',
  'image_leak',
  'image_names',
  'images',
  'inputs',
  'joined_pairs',
  'label',
  'label_test',
  'label_train',
  'label_val',
  'missing_values',
  'numeric_texts',
  'patient_leak',
  'patients',
  'patients_missing',
  'rare_classes',
  'recipe',
  'recipe_question',
  'splits',
  'tables',
] as const

export function isNamed(key: string): key is (typeof CHECKS)[number] {
  return (CHECKS as readonly string[]).includes(key)
}
