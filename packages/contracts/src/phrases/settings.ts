/** Problems of the keys of a training configuration, and what to do about each. */
export const SETTING_ISSUES = {
  configuration_incomplete: 'The configuration is not complete.',
  training_cases_unknown: 'The number of training cases is not known yet.',
  no_comparable_training:
    'No training with backbone {backbone} and fusion {fusion} has been completed on this device yet.',
  // Values
  required: 'required',
  unknown_key: 'unknown key "{key}"',
  key_in_section: 'Write "{key}" as a key within "{section}".',
  suggested_name: 'Did you mean "{name}"?',
  known_keys: 'Known keys: {keys}.',
  one_of: 'expected one of {values}',
  more_problems: { one: '{count} more problem', other: '{count} more problems' },
  wrong_type: 'must be {expected}, not {received}',
  not_whole: 'must be a whole number',
  number_out_of_range: 'must be {bound}',
  length_out_of_range: 'must have {bound}',
  bound_at_least: 'at least {limit}',
  bound_at_most: 'at most {limit}',
  bound_above: 'above {limit}',
  bound_below: 'below {limit}',
  bound_exactly: 'exactly {limit}',
  length_in_characters: { one: '{count} character', other: '{count} characters' },
  length_in_items: { one: '{count} item', other: '{count} items' },
  not_multiple: 'must be a multiple of {divisor}',
  no_form_fits: 'matches none of the permitted forms',
  type_string: 'text',
  type_number: 'a number',
  type_int: 'a whole number',
  type_boolean: 'true or false',
  type_array: 'a list',
  type_object: 'an object with keys',
  control_characters: 'contains control characters',
  empty_tag: 'a tag must not be empty',
  long_tag: 'a tag has at most 50 characters',
  comma_in_tag: 'a tag must not contain a comma, because commas separate tags',
  plain_text_expected: 'expected plain text without control characters',
  checkpoint_name_expected: 'expected the name of a checkpoint',
  device_expected:
    'expected auto, cpu, cpu:N (N processes), mps, cuda, cuda:N, cuda:N,M, or cuda:NxM or cpu:NxM (N processes on each of M nodes)',
  name_expected: 'expected lower-case letters, digits and underscores, starting with a letter',
  no_targets: 'the list is empty, so no node would run; remove "targets" to run all nodes',
  version_of_workflow: 'expected the number of a revision, "saved" for the newest revision, or "draft"',
  choices_expected: 'expected a list of choices, such as [0.1, 0.3], or a range {range}, such as {example}',
  seeds_expected: 'expected a number of seeds, such as 5, or a list of seeds, such as [0, 1, 2]',
  unknown_backbone: 'unknown backbone "{name}"',
  // Keys of the model
  model_without_input:
    'the model has no input: vision_backbone "none" excludes the image and fusion_type "none" excludes the table',
  set_one_of_two: 'Set one of the two to another value.',
  fusion_without_image: '"{fusion}" fuses an image with a table, but vision_backbone is "none"',
  backbone_or_concatenate:
    'Set a backbone, or set fusion_type to "concatenate" for a model of the table only.',
  two_initial_weights:
    'pretrained and fine_tune_from both set the initial weights; the weights of the trained model include the backbone',
  pretrained_or_fine_tune: 'Remove pretrained, or remove fine_tune_from to train a new model.',
  members_of_one_network:
    'members is the number of table networks, but fusion "{fusion}" with a backbone trains one network that also reads the image',
  members_or_late: 'Remove members, or use fusion_type "late".',
  late_in_processes: 'device "{device}" uses several processes, but fusion "late" trains in one process',
  members_in_processes:
    'device "{device}" uses several processes, but an ensemble of members trains in one process',
  one_device: 'Use one device, or set members to 1.',
  selection_sees_validation:
    'feature_selection "{method}" uses the labels of all cases, including those on which another network is validated',
  no_validation_or_selection: 'Remove validation, or use feature_selection "none" or "variance".',
  folds_after_training:
    'with folds, networks would be validated on cases that the trained model has already learned from, so the choice of the epoch would be biased',
  no_validation_with_fine_tuning: 'Remove validation: fine-tuning validates on the validation split.',
  width_not_multiple: 'hidden_dim {width} is not a multiple of num_heads {heads}',
  use_width: 'Use hidden_dim {width}.',
  image_not_multiple: '{backbone} requires an image width and height that are multiples of {multiple}',
  use_image_size: 'Use [{sides}].',
  fold_out_of_range: 'fold index {index} is out of range: with {k} folds, indices are 0 to {last}',
  use_fold_index: 'Use an index from 0 to {last}.',
  open_question_label: 'not ready: a question of the recipe is open: which column is the label',
  open_question_patient: 'not ready: a question of the recipe is open: which column identifies the patient',
  open_question_rows: 'not ready: a question of the recipe is open: which of several rows describes a case',
  answer_question:
    'Answer it with --{question} of medloom data adopt or in data.recipe.{question}. If no answer is needed, remove it from data.recipe.open.',
  // The label and the task
  labels_required: 'task "multilabel" requires label columns',
  set_label_columns: 'Set data.label_columns to two or more columns with yes or no.',
  several_labels: 'label_columns lists several labels, but task is "{task}"',
  no_task_or_one_label: 'Remove task, or set one column in data.label_column.',
  both_label_keys: 'label_column and label_columns are both set',
  remove_one_of_them: 'Remove one of them.',
  positive_of_labels: 'positive_class applies to two classes, but each of several labels is yes or no',
  remove_key: 'Remove {key}.',
  label_column_twice: 'label_columns lists a column twice',
  list_each_once: 'List each column once.',
  survival_keys: 'time_column and event_column are for task "survival", but task is "{task}"',
  no_task_or_no_times: 'Remove task, or remove time_column and event_column.',
  survival_key_missing: 'survival requires time_column and event_column; {key} is missing',
  set_time_and_event: 'Set the columns of the follow-up time and of the event.',
  not_for_survival: '{key} does not apply to survival, whose label consists of a time and an event',
  loss_of_survival: 'survival always uses the likelihood of its time intervals as the loss, not {loss}',
  loss_of_regression: '{loss} is a loss for regression',
  use_class_loss: 'Use cross_entropy or focal.',
  loss_of_classes: '{loss} is a loss for classification',
  use_number_loss: 'Use mse, mae or huber.',
  not_a_metric_of: '{metric} is not a metric of a {task}',
  not_a_metric_of_survival: '{metric} is not a metric of survival',
  use_auto_monitor: 'Use "auto" or "val_loss".',
  warmup_too_long:
    'warmup_epochs ({warmup}) is not less than epochs ({epochs}): learning_rate is never reached, and scheduler "{scheduler}" has no effect',
  shorter_warmup: 'Set warmup_epochs to less than {epochs}.',
  // Baselines
  baseline_reads_table: '{baseline} reads the table, but fusion_type "none" excludes the table',
  no_baseline_or_fusion: 'Remove {baseline} from baselines, or set another fusion_type.',
  logistic_for_survival:
    'logistic_regression predicts classes; the linear model for survival is Cox regression',
  use_cox: 'Use cox_regression instead.',
  cox_without_survival: 'cox_regression is for survival, but the task is not survival',
  use_logistic: 'Use logistic_regression instead.',
  ablation_of_table: '{baseline} excludes one modality, but this model reads only the table',
  ablation_of_image: '{baseline} excludes one modality, but this model reads only the image',
  no_baseline_or_both: 'Remove {baseline} from baselines, or train on image and table.',
  ablation_of_fine_tuning:
    '{baseline} would start without the weights that the model gets from fine_tune_from, so the comparison would not be fair',
  baselines_of_table_stay: 'Remove {baseline} from baselines; baselines of the table can stay.',
  baseline_twice: 'a baseline is listed twice',
  // Keys without effect
  intervals_without_survival: 'survival_intervals has no effect: the task is not survival',
  no_intervals: 'Remove survival_intervals, or set time_column and event_column.',
  dropout_of_late:
    'modality_dropout has no effect: fusion "late" trains a separate network for each modality',
  dropout_of_table:
    'modality_dropout has no effect: it drops the image or the table of a case, but this model reads only the table',
  dropout_of_image:
    'modality_dropout has no effect: it drops the image or the table of a case, but this model reads only the image',
  no_dropout_or_both: 'Remove modality_dropout, or train on image and table.',
  heads_without_attention:
    'num_heads has no effect: fusion "{fusion}", table encoder "{encoder}" and aggregator "{aggregator}" do not use attention',
  no_heads: 'Remove num_heads, or use fusion_type "attention" or "cross_attention".',
  weight_without_late: 'image_weight has no effect: fusion "{fusion}" does not combine predictions',
  no_image_weight: 'Remove image_weight, or use fusion_type "late".',
  share_of_one_network:
    'linear_share has no effect: it applies to the networks of an ensemble, but this model has one network',
  no_linear_share: 'Remove linear_share, or set model.members.',
  validation_of_one_network:
    'validation has no effect: it applies to the networks of an ensemble, but this model has one network',
  no_validation: 'Remove validation, or set model.members.',
  compile_of_late:
    'compile has no effect: a backbone is compiled only if it is trained in one network with the table',
  no_compile: 'Remove compile, or use a fusion_type other than "late".',
  rate_of_frozen: 'backbone_learning_rate has no effect: freeze_layers "all" freezes the backbone',
  no_backbone_rate: 'Remove backbone_learning_rate, or freeze fewer stages.',
  indicator_without_statistic:
    'missing_indicator has no effect: missing_strategy "{strategy}" does not replace missing values by a statistic',
  no_indicator: 'Remove missing_indicator, or use missing_strategy "mean", "median" or "mode".',
  fraction_with_table: 'val_fraction has no effect: val_csv contains the validation cases',
  remove_one_of_two: 'Remove one of the two.',
  weights_without_classes: 'class_weights applies to classes, but this task has no classes',
  points_of_regression: 'operating points are decision thresholds, but a regression has no threshold',
  smoothing_without_classes: 'label_smoothing applies to classes, but this task has no classes',
  selection_needs_number: '{method} needs the number of columns to keep',
  selection_without_number: '"{method}" does not use the number of columns to keep',
  set_keep: 'Set keep, for example to 20.',
  keep_null: 'Set keep to null, or choose univariate.',
  method_twice: 'a method is listed twice',
  rule_twice: 'a rule is listed twice',
  // Fine-tuning
  differs_from_trained: 'is {value}, but the trained model has {before}',
  connect_trained_data:
    'Connect data with the columns, label and preprocessing of the trained model, or train a new model with TrainModel.',
  batch_needs_memory:
    'a batch of {cases} can require {needed} of memory, but the device {device} has {available}',
  config_of_other_version:
    'The configuration of the job is not valid in this version. Correct these keys and start a new training.',
  training_stopped:
    'The training job was stopped. Run the workflow again to continue from the last checkpoint.',
  training_failed: 'the training job failed',
  keep_trained_value:
    'Remove the key or set it to {before}: fine-tuning keeps architecture, columns, classes and preprocessing. To use another value, remove fine_tune_from and train a new model.',
} as const
