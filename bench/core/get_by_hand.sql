SELECT item FROM hand_written WHERE pk = :pk AND sk = :sk;
