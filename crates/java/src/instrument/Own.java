        /** Of this process's and class loader's files; 0 until there is one. */
        private static int number;

        /**
         * The file `wattline-NAME` and the number and the ending. The number is that of the
         * first wattline-counts-N.csv that nobody else has made, which this makes.
         */
        private static synchronized File own(String name, String ending) throws IOException {
            int free = number;
            while (number == 0) {
                if (new File(FOLDER, "wattline-@PART@counts-" + ++free + ".csv").createNewFile()) {
                    number = free;
                }
            }
            return new File(FOLDER, "wattline-@PART@" + name + number + ending);
        }
