"""Files of tables → one strict table of texts: CSV, Excel, JSON."""

from medloom_trainer.data.tables.formats.csv_reader import read_csv
from medloom_trainer.data.tables.formats.table_files import read_table_file

__all__ = ["read_csv", "read_table_file"]
