/** Common settings; the rest has defaults. */
export const COMMON_SETTINGS = [
  'data.train_csv',
  'model.vision_backbone',
  'model.fusion_type',
  'training.epochs',
  'training.batch_size',
  'training.learning_rate',
]
