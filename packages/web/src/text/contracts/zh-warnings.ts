import type { ContractWords } from './keys'

/** Of each warning what it means, and what to do about it. */
export const warnings: ContractWords['warnings'] = {
  DATASET_LEAK: [
    '有患者或图像同时出现在两个划分中，而 data.allow_leakage 允许这样做。',
    '请按患者划分；这些划分上的结果过于乐观。',
  ],
  LEAK_CHECK_INCOMPLETE: [
    '部分病例无法在各划分之间比较。',
    '请恢复无法读取的文件，或评估记录了训练病例的模型。',
  ],
  PATIENTS_ALIKE: [
    '有些患者编号只在大小写、空白或数字写法上不同（12、12.0、00012）。',
    '若是同一患者，请统一编号的写法，以便发现泄漏。',
  ],
  IMAGES_ALIKE: [
    '不同患者的图像看起来相同：可能是另一种格式、质量或尺寸的副本。',
    '请查看消息中列出的病例；删除副本，或给它们相同的患者编号。',
  ],
  SHARED_PATIENTS: ['合并的多个来源含有相同的患者编号。', '若是不同的患者，请在合并前让编号不同。'],
  EVALUATED_ON_TRAINING_DATA: ['模型在其训练用过的病例上评估。', '请在未参与训练的患者上评估。'],
  CHOSEN_ON_THIS_SPLIT: ['轮次以及阈值（若有）是在此划分上选定的。', '请报告测试划分的指标。'],
  LABELS_MISSING: [
    '多个标签中有些单元格为空。',
    '请填写已知的内容；仍为空的单元格不计入损失，也不计入指标。',
  ],
  RARE_CLASSES: [
    '某类别的训练患者少于五位，或没有验证病例。',
    '请收集更多该类病例，或合并类别；解读时请连同区间。',
  ],
  FEW_EVENTS: ['只有很少的训练病例发生了事件。', '请延长随访，或连同区间一起解读每个数字。'],
  LABEL_PREDICTED_BY_COLUMN: [
    '有一列几乎能单独预测标签。',
    '请检查该列是否由标签得来；若是，请加入 data.ignore_columns。',
  ],
  LABEL_PREDICTED_BY_MISSINGNESS: [
    '某列是否有值就能预测标签。',
    '请检查缺失的原因；若由标签引起，请将该列加入 data.ignore_columns。',
  ],
  LABEL_PREDICTED_BY_IMAGE_SIZE: [
    '图像的尺寸能预测标签。',
    '请检查各类别的采集或导出方式是否不同；报告列出了各图像尺寸组内的指标，请查看。',
  ],
  LABEL_PREDICTED_BY_ACQUISITION: [
    '图像的采集方式（设备、部位、投照、数量或格式）能预测标签。',
    '去掉该列并不能消除捷径：像素中仍可看出。请查看报告中各组内的指标，并按此平衡或匹配病例。',
  ],
  SHORTCUTS_NOT_CHECKED: [
    '有些类别、列或图像未能检查是否存在通向标签的捷径。',
    '请人工查看消息中列出的内容，或收集更多患者。',
  ],
  FITTED_ON_ALL: [
    '所示的缩放在全部病例上拟合，因为数据尚未划分。',
    '请将 DataSplit 接在 TabularPreprocess 之前；训练本身只在训练划分上拟合。',
  ],
  PROCESSED_VIEW: [
    '显示、筛选或导出的是处理后的值：由现有病例算出，供人查看。',
    '无需处理。训练只在训练部分上拟合，从不读取这些数字；若要比较文件中的值，请在预处理之前筛选。',
  ],
  NO_SPLIT_COLUMN: [
    '所评估的表格没有说明哪些行属于该划分，因此全部行都按该划分计算。',
    '若表格只含该划分则无需处理；否则请添加 “split” 列，写明 train、val 或 test。',
  ],
  NO_PATIENT_COLUMN: [
    '没有已知的患者列，因此每个病例都算作一名患者。',
    '若患者有多个病例，请指定患者列（data.patient_column，或在注册数据集时指定）。',
  ],
  PATIENTS_UNKNOWN: ['没有患者列，每个病例算作一名患者。', '若患者有多个病例，请指定患者列；否则区间过窄。'],
  REPEATED_IDS: ['某个编号列的值有重复，而没有患者列。', '请在 data.patient_column 中指定患者列。'],
  DUPLICATE_CASES: ['有病例出现在合并的多个来源中，只保留一次。', '若来源有意重叠，则无需处理。'],
  CASE_IDS_RENAMED: [
    '合并中不同的病例有相同的病例编号；已在编号后加上数字。',
    '若要保留原编号，请让各来源的编号不同。',
  ],
  CASE_IDS_REPLACED: ['case_id 列有缺失或重复的值；病例以文件和行号命名。', '请给每一行自己的 case_id。'],
  CASES_UNMATCHED: [
    '连接时排除了没有图像的行，或没有对应行的图像。',
    '请检查被排除的行和图像的病例编号或文件名。',
  ],
  POSITIVE_CLASS_ASSUMED: [
    '两个类别中哪一个为阳性，仅由它们的顺序决定。',
    '请设置 data.positive_class；敏感度、特异度、PPV、NPV、AUPRC 和 F1 都取决于它。',
  ],
  CLASS_NAMES_MERGED: [
    '标签中同一类别有多种写法，例如 Yes 和 yes；它们被视为同一类别。',
    '请统一每个类别的写法；若是不同的类别，请改名。',
  ],
  CONSTANT_COLUMN: ['某列只有一个值或没有值，未被使用。', '无需处理，或删除该列。'],
  ID_LIKE_COLUMN: [
    '某列看起来是编号，未被使用。',
    '若它是输入，请在 data.numeric_columns 或 data.categorical_columns 中列出。',
  ],
  OTHER_LABEL_COLUMN: [
    '某列的名称像标签，未作为输入使用。',
    '若它是输入，请在 data.numeric_columns 或 data.categorical_columns 中列出。',
  ],
  MIXED_COLUMN: [
    '某列混有数字与其他文字，或混用小数点与小数逗号。',
    '请更正消息中列出的单元格，或在 data.numeric_columns 或 data.categorical_columns 中列出该列。',
  ],
  CENSORED_NUMBERS: ['某列含有 “89+” 这样的界限，按界限本身读取。', '请判断该界限是否可作为值。'],
  INFINITE_NUMBERS: [
    '某列含有无穷大的数，按训练中的最大值或最小值读取。',
    '若它们不是超出量程的测量值，请更正消息中列出的单元格。',
  ],
  SENTINEL_SUSPECTED: [
    '某列含有 -999 之类可能表示缺失的数；它被当作数字读取。',
    '若表示缺失，请清空这些单元格。',
  ],
  UNSEEN_CATEGORIES: ['某列含有训练划分中没有的类别值。', '请检查其写法；模型将其视为未知。'],
  COLUMNS_ABSENT: ['表格缺少模型读取的列；其值按缺失读取。', '请补上这些列，或更正表格中的列名。'],
  INPUTS_SHIFTED: [
    '所评估病例的输入与训练时明显不同。',
    '请查看报告中训练与这些病例的对照表：在不同之处模型是在外推。',
  ],
  MISSING_NEVER_SEEN: [
    '训练划分中完整的列出现了缺失的值或图像。',
    '模型将其当作平均病例；请在有此类缺失的数据上训练，或补全这些值。',
  ],
  CSV_ENCODING_ASSUMED: ['该 CSV 不是 UTF-8，按 Windows-1252 读取。', '若文字显示有误，请将文件存为 UTF-8。'],
  SPLIT_COLUMN_DISAGREES: [
    '表格的划分列写明的划分与该表格的用途不同。',
    '请更正或删除划分列；表格的所有行都会使用。',
  ],
  UNKNOWN_SPLIT: ['划分列含有 train、val、test 以外的值；这些行未被使用。', '请更正划分列的值。'],
  IMAGES_UNREADABLE: ['有图像文件缺失或无法读取，按缺失的视图处理。', '请恢复消息中列出的文件。'],
  VOLUMES_AS_SLICES: [
    '体数据读取为若干切片，每片为一个视图；其余部分未被查看。',
    '请在 data.slices 中选择切片的数量、平面与范围。',
  ],
  BLANK_IMAGES: [
    '有些图像的所有像素值相同：没有内容，也不在各划分之间比较。',
    '请去掉它们，或在 data.slices 中选择体数据的其他切片。',
  ],
  FILES_LEFT_OUT: ['文件夹中其他格式的文件被排除。', '若要读取，请选择该格式，或移动这些文件。'],
  BURNED_IN_IDENTITY: ['DICOM 标签说明像素中显示了患者身份。', '共享或使用前请遮盖这些图像。'],
  TAGGED_IDENTITY: ['DICOM 标签含有姓名或出生日期。', '共享前请对文件去标识。'],
  NOT_BETTER_THAN_BASELINE: [
    '该模型并不明确优于简单模型，或不如它。',
    '请优先使用简单模型，或改进该模型：更多病例、更少输入、其他设置，并在验证集上选择。',
  ],
  BASELINE_UNAVAILABLE: [
    '所要求的基线没有可对照的结果。',
    '请查看消息中的原因；恢复训练或重新训练以拟合该基线。',
  ],
  FEW_PATIENTS: ['患者很少，无论其病例有多少。', '区间与比较只能粗略解读；请在更多患者上评估。'],
  SETTING_REPLACED: ['一个节点的设置被另一个节点的设置取代。', '若非有意，请只设置一次。'],
  SETTING_WITHOUT_EFFECT: ['配置中的某项设置对这些数据不起作用。', '请删除该设置。'],
  PARITY_ON_RANDOM_INPUTS: [
    '量化模型无法在其验证病例上与原模型比较，只在随机输入上比较了。',
    '请恢复训练的表格和图像并重新运行该节点，或不量化导出。',
  ],
  PLOT_NOT_DRAWN: ['有一幅图无法由得到的指标绘出。', '请查看原因，或从 plot_types 中去掉该图。'],
  CASES_NOT_SHARED: [
    '有些病例被所比较的一个模型读取，而被另一个排除。',
    '比较的所有数字都只含每个模型都读取的病例；若要查看其余病例，请在没有此类行的表格上比较。',
  ],
  TIMES_NOT_SHARED: [
    '所比较的生存模型的时间区间不同。',
    '比较的所有数字都取每个模型都预测的时间，因此可能与各自评估的数字略有不同。',
  ],
  EVALUATED_ON_CPU: ['评估在 CPU 上运行，因为没有空闲的加速器。', '无需处理；若要更快，请在训练结束后评估。'],
  COMPILATION_FAILED: [
    '骨干网络无法编译，因此按原样训练。',
    '请查看消息中的原因，例如未安装编译器；或将 training.compile 设为 “off”。',
  ],
  CACHED_RESULT_UNUSABLE: [
    '缓存的结果无法读取，因此该节点重新运行。',
    '无需处理；若经常发生，请检查数据文件夹所在的磁盘。',
  ],
  RESULT_NOT_CACHED: ['节点的结果无法写入缓存。', '请释放磁盘空间；下次运行会重新计算该节点。'],
  UNSPECIFIED: ['旧版本保存的警告没有代码。', '请阅读消息，或重新运行该节点。'],
}
