SELECT scan('sdk-Music', projection => 'Artist, SongTitle');
