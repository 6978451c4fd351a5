import { z } from 'zod'
import { AUGMENTATIONS, AugmentationPlan, DataConfig } from '../../configuration/index.js'
import { field, type NodeDefinition } from '../definition.js'
import { missingFacet } from '../inference.js'
import { fromTraining } from '../training-fields.js'

const imageSize = DataConfig.shape.image_size
const [widthSchema, heightSchema] = imageSize.unwrap().def.items
const [width, height] = imageSize.parse(undefined)

export const PREPROCESSING_NODES = {
  ImagePreprocess: {
    group: 'Preprocessing',
    title: 'Preprocess images',
    summary:
      'Resizes images and normalizes their intensities. Statistics are fitted on the training split only.',
    runs: 'worker',
    resource: 'cpu',
    version: 1,
    software: 'data',
    inputs: [{ name: 'images', type: 'image', title: 'Images' }],
    outputs: [{ name: 'processed_images', type: 'image', title: 'Preprocessed images', carries: 'images' }],
    config: z.strictObject({
      resize: field(
        z
          .strictObject({
            width: widthSchema.default(width).meta({ title: 'Width in pixels' }),
            height: heightSchema.default(height).meta({ title: 'Height in pixels' }),
          })
          .prefault({}),
        {
          title: 'Size',
          description: 'Width and height in pixels to which every image is resized.',
          training_key: 'data.image_size',
        },
      ),
      normalize: fromTraining('data', 'normalize', {
        title: 'Intensity normalization',
        description:
          'Scales intensities to mean 0 and standard deviation 1, to the range 0 to 1, or with the ImageNet statistics.',
      }),
      augmentation: field(z.enum(AUGMENTATIONS).default('light'), {
        title: 'Augmentation',
        description:
          'Strength of the random augmentation of training images. Validation and test images are not augmented.',
        training_key: 'data.augmentation',
        fit_only: true,
      }),
    }),
    lineage: [{ relation: 'same_as', output: 'processed_images', of: 'images' }],
    infer: ({ config, inputs }) => {
      const { width, height } = config.resize as { width: number; height: number }
      return {
        outputs: { processed_images: { shape: [inputs.images?.cases ?? null, 3, height, width] } },
        issues: missingFacet(inputs, 'images', 'images'),
      }
    },
  },
  TabularPreprocess: {
    group: 'Preprocessing',
    title: 'Preprocess table',
    summary:
      'Imputes missing values, encodes categories, scales numbers and selects columns. Fitted on the training split only.',
    runs: 'worker',
    resource: 'cpu',
    version: 2,
    software: 'data',
    inputs: [{ name: 'dataframe', type: 'tabular', title: 'Table' }],
    outputs: [
      { name: 'processed_data', type: 'tabular', title: 'Preprocessed table', carries: 'dataframe' },
      { name: 'scaler', type: 'config', kind: 'scaler', title: 'Fitted parameters' },
    ],
    config: z.strictObject({
      missing_strategy: fromTraining('data', 'missing_strategy', {
        title: 'Missing values',
        description:
          'Represents them by a learned token, removes the row, or imputes a statistic of the training split.',
      }),
      encoding: fromTraining('data', 'categorical_encoding', {
        title: 'Category encoding',
        description: 'One column per category, a number per category, or the out-of-fold mean of the label.',
      }),
      missing_indicator: fromTraining('data', 'missing_indicator', {
        title: 'Missing indicator',
        description:
          'If a statistic is imputed: adds an indicator of missing values for each column with gaps in the training split.',
      }),
      scaling: fromTraining('data', 'scaling', {
        title: 'Number scaling',
        description:
          'By mean and standard deviation, to normal quantiles, by range, by median and quartiles, or no scaling.',
      }),
      feature_selection: fromTraining('data', 'feature_selection', {
        title: 'Feature selection',
        description:
          'Removes constant columns, or keeps the columns most associated with the label in the training split (for survival, with its martingale residual).',
      }),
    }),
    lineage: [
      { relation: 'same_as', output: 'processed_data', of: 'dataframe' },
      { relation: 'fits', output: 'scaler', on: ['dataframe'] },
    ],
    infer: ({ inputs }) => ({
      // A condition may name an encoded column, such as "sex=f", which depends on the data.
      outputs: { processed_data: { columns: undefined } },
      issues: missingFacet(inputs, 'dataframe', 'table'),
    }),
  },
  DataAugmentation: {
    group: 'Preprocessing',
    title: 'Augment images',
    summary: 'Augments training images at random in every epoch. Validation and test images are not changed.',
    runs: 'worker',
    resource: 'cpu',
    version: 1,
    software: 'data',
    inputs: [{ name: 'images', type: 'image', title: 'Images' }],
    outputs: [{ name: 'augmented_images', type: 'image', title: 'Augmented images', carries: 'images' }],
    config: z.strictObject({
      methods: field(AugmentationPlan.shape.methods, {
        title: 'Methods',
        description:
          'The augmentation methods. Flips are not in the default, because laterality matters in medicine.',
        training_key: 'data.augmentation.methods',
        fit_only: true,
      }),
      probability: field(AugmentationPlan.shape.probability, {
        title: 'Probability',
        description: 'Probability that a method is applied to an image.',
        training_key: 'data.augmentation.probability',
        fit_only: true,
      }),
      intensity: field(AugmentationPlan.shape.intensity, {
        title: 'Intensity',
        description: 'Strength of the methods, from 0 (none) to 1 (strongest).',
        training_key: 'data.augmentation.intensity',
        fit_only: true,
      }),
    }),
    lineage: [{ relation: 'same_as', output: 'augmented_images', of: 'images' }],
    infer: ({ inputs }) => ({ issues: missingFacet(inputs, 'images', 'images') }),
  },
} as const satisfies Record<string, NodeDefinition>
